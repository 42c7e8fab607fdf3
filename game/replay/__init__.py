"""Watching a recording, driving on from it, exporting it as a video."""
