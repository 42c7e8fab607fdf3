"""Props and vehicles without a driver in the program: pictures, recording, putting back, wheels on other vehicles."""
