"""The programs einplan, einrun and eintool: where they are, how they are started and ended, what they say."""
