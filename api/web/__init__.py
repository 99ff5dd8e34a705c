"""The web pages of the service and their files; the pages load nothing from other servers."""
