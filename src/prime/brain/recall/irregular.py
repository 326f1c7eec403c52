"""English words whose forms no ending shows: `went` is found by `go`, `children` by `child`."""

# The first word of each line is what the others are taken for.
_FORMS = """
become became
begin began begun
bend bent
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
burn burnt
buy bought
catch caught
child children
choose chose chosen
come came
creep crept
deal dealt
dig dug
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown
foot feet
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone
goose geese
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
knife knives
know knew known
lead led
learn learnt
leave left
lend lent
life lives
lose lost
make made
man men
mean meant
meet met
mouse mice
pay paid
person people
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
spend spent
spin spun
stand stood
steal stole stolen
stick stuck
strike struck
swear swore sworn
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
tooth teeth
understand understood
wake woke woken
wear wore worn
weave wove woven
weep wept
wife wives
win won
woman women
write wrote written
"""


def _table() -> dict[str, str]:
    lines = [line.split() for line in _FORMS.strip().splitlines()]
    return {form: base for base, *forms in lines for form in forms}


BASE_FORMS = _table()
