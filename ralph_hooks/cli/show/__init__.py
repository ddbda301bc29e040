"""How the verbs show what they found: tables for people, JUnit XML for other tools."""
