// Sentences of the server, in the reader's language where there is one for it.
import { words } from ".";

export const inWords = (sentence: string): string => words().served[sentence] ?? sentence;
