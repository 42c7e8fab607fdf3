"""The lap being driven, laps to compare it with, the gap to the best one, and the lines of the map."""
