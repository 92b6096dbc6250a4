"""Running the paper's study: what is missing, where it runs, and what comes out."""
