"""Sound of the body: wind, impacts, scrapes."""
