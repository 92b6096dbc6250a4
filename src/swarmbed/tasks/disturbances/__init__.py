"""What goes wrong in a real swarm: agents that stop, messages that are lost, noisy sensors.

    settings    what can be set, on every swarm task          chance      random numbers that follow from the state
    state       what an episode has drawn                     moving      actions, speeds, agents that stand still
    sensing     headings, distances, bearings, blind sectors  messages    which arrive, and how old they are

Everything random is a function of the episode's key, the time and the agents involved, so a stored state is sensed
again exactly as it was, and all controllers face the same events from equal starts.
"""
