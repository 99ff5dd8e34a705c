"""The only code that talks to the database: driver, query files, transactions, schema, pages."""
