// Every word of the page, for what is loaded later: it brings its English words with it.
import { words as firstWords, type Words } from ".";
import { en } from "./en";
import { later } from "./en/later";

Object.assign(en, later);

/** The words of the current language, those of the views among them. */
export const words = (): Words => firstWords() as Words;
