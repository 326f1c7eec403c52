"""Function words of languages whose stop words search does not leave out: for classes of replies they say nothing."""

_WORDS = """
der die das den dem des ein eine einer eines einem einen und oder aber ist sind war waren bin bist sein hat haben habe
hatte wird werden wurde ich du er sie es wir ihr mich mir dich dir ihn ihm uns euch sich mein dein unser nicht kein
keine mit von für auf aus bei nach zu zum zur im in am an auch noch schon nur sehr wie was wer wo wann dass wenn dann
doch hier dort bitte danke gern gerne heute morgen hallo grüße liebe viele le la les un une de et ou mais est sont
était je tu il elle nous vous ils elles me te se mon ma mes ton ta tes son sa ses notre votre leur ne pas plus avec
pour sur dans par au aux en ce cet cette ces que qui quoi où quand comme si bien très oui non merci bonjour salut
demain el los las una unos unas y o pero era yo tú ella nosotros ustedes ellos mi mis tus su sus nuestro no con para
por sobre del al lo quien cuando como muy más sí gracias hola buenos días mañana hoy está están ser fue gli uno e ed
sono io lui lei noi voi loro mio tuo suo nostro per tra nel nella della dei che chi quando come molto più sì grazie
ciao domani oggi è os as um uma umas mas são eu ele ela nós eles meu minha seu sua nosso não com em na dos ao quem
muito sim obrigado obrigada olá amanhã hoje het een of maar zijn ik jij hij zij wij jullie mijn jouw onze niet geen
met voor op uit bij naar ook nog wel hoe wat waar als dan ja nee dank vandaag och eller men är var jag han hon vi ni
min din sin inte med för på av till från om att som när tack hej imorgon idag
"""
FUNCTION_WORDS = frozenset(_WORDS.split())
