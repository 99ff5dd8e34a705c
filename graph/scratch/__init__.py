"""The scratch page: observations, low-commitment notes that fade unless something comes of them."""
