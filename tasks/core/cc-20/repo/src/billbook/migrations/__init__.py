"""Migrations, one module each; see the README."""
