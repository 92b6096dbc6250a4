"""Episodes as pictures; swarmbed.render is the way in."""
