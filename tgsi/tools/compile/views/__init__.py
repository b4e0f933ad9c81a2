"""Views for people who learn: links as pictures, passes side by side. Until a command uses one, only `options` is loaded."""
