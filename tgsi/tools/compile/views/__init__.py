"""Views for people who learn: links as pictures, passes side by side. Only `options` is loaded before a command asks for one."""
