"""What a pattern of names means, from where records can see it too."""

from backburner._names import choose as choose
