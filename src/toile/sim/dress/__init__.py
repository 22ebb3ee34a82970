"""From flat panels to a dressed body at rest."""
