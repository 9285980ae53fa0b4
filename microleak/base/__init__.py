"""What everything stands on: errors, numbers, files, locks, paths, progress."""
