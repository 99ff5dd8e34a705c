"""Whether sessions of working memory hold, admit and link what they should."""
