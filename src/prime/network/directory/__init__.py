"""The capability phonebook: who is there, what they can do, and whether they answer."""
