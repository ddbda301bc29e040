"""The little shop of the demo: a suite of fifteen tests, three of them red, and the three edits that fix them."""

from __future__ import annotations

import os
import sys

from ralph_hooks.process.capture import capture

CART = '''"""A shopping cart."""


def total(prices):
    return sum(prices)


def label(name, count):
    return f"{count} x {name}"
'''
PRICE = '''"""Prices in cents."""


def with_tax(cents):
    return cents + cents * 19 // 10
'''
STOCK = '''"""What is left on the shelf."""


def take(stock, name):
    stock[name] = stock[name] - 1
    return stock[name] > 0
'''
MAIL = '''"""Order mails."""


def subject(order):
    return "Your order " + order
'''
TEST_CART = """import unittest

from shop.cart import label, total


class Cart(unittest.TestCase):
    pass


def case(prices):
    def check(self):
        self.assertEqual(total(prices), sum(prices))
        self.assertIn(str(len(prices)), label("apple", len(prices)))

    return check


for size in range(12):
    setattr(Cart, f"test_{size}_items", case(list(range(size))))
"""
TEST_PRICE = """import unittest

from shop.price import with_tax


class Price(unittest.TestCase):
    def test_tax_is_nineteen_percent(self):
        self.assertEqual(with_tax(100), 119)
"""
TEST_STOCK = """import unittest

from shop.stock import take


class Stock(unittest.TestCase):
    def test_the_last_one_may_be_taken(self):
        self.assertTrue(take({"apple": 1}, "apple"))
"""
TEST_MAIL = """import unittest

from shop.mail import subject


class Mail(unittest.TestCase):
    def test_the_number_of_an_order_is_a_number(self):
        self.assertEqual(subject(17), "Your order 17")
"""
FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": CART,
    "shop/price.py": PRICE,
    "shop/stock.py": STOCK,
    "shop/mail.py": MAIL,
    "tests/__init__.py": "",
    "tests/test_cart.py": TEST_CART,
    "tests/test_price.py": TEST_PRICE,
    "tests/test_stock.py": TEST_STOCK,
    "tests/test_mail.py": TEST_MAIL,
    ".gitignore": "__pycache__/\n",
}


class Fix:
    """One edit of the agent: `test` is the failure that it answers."""

    def __init__(self, test: str, file: str, old: str, new: str) -> None:
        self.test = test
        self.file = file
        self.old = old
        self.new = new

    def command(self) -> str:
        """The edit as a shell command."""
        change = f"p.write_text(p.read_text().replace({self.old!r}, {self.new!r}))"
        code = f"import pathlib; p = pathlib.Path({self.file!r}); {change}"
        return f"python3 -c {_quoted(code)}"

    def apply(self, root: str) -> None:
        """The edit without a shell."""
        path = os.path.join(root, self.file)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(self.old, self.new))


FIXES = [
    Fix("number_of_an_order", "shop/mail.py", '"Your order " + order', 'f"Your order {order}"'),
    Fix("nineteen_percent", "shop/price.py", "// 10", "// 100"),
    Fix("last_one", "shop/stock.py", "> 0", ">= 0"),
]
ONE_FILE = "python3 -m unittest tests.test_cart"


def make(root: str) -> None:
    """Write the shop below `root`, with a config and a git repository."""
    for name, text in FILES.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    with open(os.path.join(root, "ralph-hooks.toml"), "w", encoding="utf-8") as file:
        file.write(f"[[check]]\nname = \"tests\"\nrun = ['{sys.executable}', '-m', 'unittest']\n")
    capture(["git", "init", "-q"], cwd=root)
    capture(["git", "add", "-A"], cwd=root)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
