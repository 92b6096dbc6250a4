"""Embeddings of sets: one file each."""
