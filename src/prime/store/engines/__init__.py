"""The two databases behind `prime.store.database.Database`."""
