"""Models that the command line trains and serves."""
