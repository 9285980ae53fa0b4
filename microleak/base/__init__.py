"""What everything stands on: errors, numbers in texts, files, locks, paths, progress."""
