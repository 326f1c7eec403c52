"""What a project is called: what is asked for with what distinguishes it, never a half of it, in at most sixty signs."""

import pytest

from prime.mind.jobs.planning import PlanRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.things.chunks import asking_part, caused_in
from prime.mind.offline.wishes.titles import MOST

TITLES = [
    # With what distinguishes it.
    (
        "organise a seminar on soil health for about 40 farmers in Lower Saxony, lunch included",
        "Seminar on soil health",
    ),
    (
        "Build a ramp to our front door before my wife comes home on 20 January",
        "The work on the ramp to the front door",
    ),
    (
        "Make a documentary about the last lockkeeper on our canal, 20 minutes",
        "Documentary about the last lockkeeper on the canal",
    ),
    (
        "Find a publisher for my children's book about a deaf fox",
        "Finding a publisher for the children's book about a deaf fox",
    ),
    ("Put up a swing in the old walnut tree, safe for adults too", "Putting up the swing in the old walnut tree"),
    (
        "Take over the accounting of our sports club, the treasurer resigned",
        "Taking over the accounting of the sports club",
    ),
    ("Find some help for my mom with the garden, 2 hours a week, she's picky", "The help with the garden"),
    ("Need a band for the harvest festival on 21 September", "Band for the harvest festival"),
    ("A podcast about forgotten crafts, my neighbour does the sound", "Podcast about forgotten crafts"),
    # What is to become of it.
    ("get 14 alpacas sheared before mid june, our usual guy retired", "Shearing 14 alpacas"),
    ("Have 2,000 flyers printed by Wednesday, A6, recycled paper", "Printing 2,000 flyers"),
    (
        "Have the grand piano tuned before the concert on Sunday, the church is only heated then",
        "Tuning the grand piano",
    ),
    (
        "Get the broken street lamp in Gartenweg fixed, the council says it's the utility",
        "Fixing the broken street lamp",
    ),
    ("Make the office quieter. people take calls in the open plan", "Making the office quieter"),
    ("Make sure the village shop survives, the Meiers retire", "Making sure the village shop survives"),
    ("Put solar on the parish church (grade II listed)", "Putting solar on the parish church"),
    ("thinking about keeping goats. 2 acres, wales. where do i start", "Keeping goats"),
    ("I want out of my gym contract, they say 24 months", "Getting out of the gym contract"),
    ("Someone has to teach our volunteers first aid, one Saturday in March", "Teaching the volunteers first aid"),
    ("Get our allotment back into shape, brambles everywhere", "Getting the allotment back into shape"),
    (
        "Get the moles out of our football pitch before the cup final, no poison",
        "Getting the moles out of the football pitch",
    ),
    # The clause that asks, and not what is told beside it or when.
    ("Repaint and re-rig the 'Marie-Louise' before she goes in the water on 1 May", "Marie-Louise"),
    ("The dog ate my retainer, I need a new one before the wedding on saturday", "Getting the new retainer"),
    (
        "The oak between us and the neighbours is dying, they say it's ours, we say it's theirs, it leans towards the road",
        "The oak",
    ),
    (
        "My son starts school and we have no place in the after-school club yet",
        "Finding the place in the after-school club",
    ),
    ("need someone to tune and regulate the grand piano in our chapel", "Tuning and regulating the grand piano"),
]


@pytest.mark.parametrize(("wish", "title"), TITLES)
async def test_it_is_called_by_what_is_asked_for(wish: str, title: str) -> None:
    found = (await OfflineMind().plan(PlanRequest(wish=wish, today="2026-11-19"))).title
    assert (found, len(found) <= MOST) == (title, True)


@pytest.mark.parametrize(
    "wish",
    [
        "Turn my PhD thesis on medieval salt trade into a book that normal people who never read about salt would like",
        "Find out whether there's a market for a rental service for baby carriers and strollers in the whole of Ontario",
        "Collect signatures against the closing of the outdoor swimming pool behind the old railway station of Aldermere",
    ],
)
async def test_a_long_one_ends_with_a_word_that_one_may_end_with(wish: str) -> None:
    title = (await OfflineMind().plan(PlanRequest(wish=wish, today="2026-11-19"))).title
    assert len(title) <= MOST
    assert not title.endswith("…")
    assert title.split()[-1] not in {"of", "for", "the", "a", "into", "against", "behind", "in", "that", "who", "and"}


def test_the_part_that_asks_leaves_out_when_and_why() -> None:
    wish = "Our well has run dry. We need water for 40 cows until a new one is drilled, because it is hot"
    assert asking_part(wish) == "We need water for 40 cows"
    assert asking_part("The roof leaks, the stage is wet") == ""


@pytest.mark.parametrize(
    "wish", ["Get a used van by May", "We need a fully furnished flat", "Get it repaired", "I want it to stop"]
)
def test_what_only_describes_a_thing_is_not_done_to_it(wish: str) -> None:
    assert caused_in(wish) is None
