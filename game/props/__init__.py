"""Props and parked vehicles in the program: drawing, recording, putting back, wheels that stand on other vehicles."""
