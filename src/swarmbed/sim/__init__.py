"""Swarm kinematics and geometry: pure functions on plain arrays that know nothing of tasks or learning."""
