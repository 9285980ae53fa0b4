"""What everything stands on: errors, files, locks, paths, progress."""
