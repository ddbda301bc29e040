"""What the tree contains, as one short text: for remembered green (`tree`) and for receipts (`receipt`).

`TreeDigest` is on the hot path; `receipt` is imported while the check runs.
"""

from ralph_hooks.check.digest.tree import TreeDigest, digest_of_paths, known

__all__ = ["TreeDigest", "digest_of_paths", "known"]
