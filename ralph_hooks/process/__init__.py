"""The one door to child processes: every child of ours starts, is read and dies in this package."""
