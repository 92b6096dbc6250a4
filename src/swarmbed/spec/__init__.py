"""How anything is named, checked and saved: settings, errors, the registry, configurations, files."""
