"""The scratch page: observations, which are low-commitment notes that expire unless they are pinned."""
