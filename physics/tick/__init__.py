"""One step of one vehicle: components, the order they run in, what each kernel is handed."""
