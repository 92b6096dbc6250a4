"""The live viewer: a local server that runs the simulation, and a page that draws it. ``swarmbed view`` starts it."""
