"""What every formulation and every method must do, as checks that anyone can run on their own."""
