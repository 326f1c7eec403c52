// Sentences of the server, in the reader's language where there is one for it. Apart from the other words: the first view needs none.
import { words } from ".";
import { served } from "./zh/served";

export const inWords = (sentence: string): string => (words().locale === "zh-CN" ? (served[sentence] ?? sentence) : sentence);
