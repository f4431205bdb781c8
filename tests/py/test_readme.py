"""The page that README.md shows is the one that berth prints."""

import re

from support import ROOT, run


def test_page_of_the_readme_is_true():
    text = (ROOT / "README.md").read_text()
    found = re.search(r"page start -->\n```\n\$ berth (.*)\n([^`]*)```", text)
    command = [word if "/" not in word else ROOT / word for word in found[1].split()]
    shown = run(*command)
    assert shown.stdout == found[2]


def test_links_of_the_documents_lead_somewhere():
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (document.parent / link).exists(), (document.name, link)
