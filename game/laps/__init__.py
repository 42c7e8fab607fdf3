"""The lap being driven, the laps to compare it with, the gap to the best lap, and the lines of the small map."""
