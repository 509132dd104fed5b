"""What all screens share: the frame, the open things, the inputs, the lists."""
