// Words of the first steps.
import type { Step } from "../../state/tour";

interface Told {
  title: string;
  line: string;
  act: string;
}

export const tour = {
  title: "First steps",
  progress: (done: number, of: number) => `${done} of ${of} steps done`,
  skip: "Skip the tour",
  done: "Done",
  more: "Give Prime something to do",
  again: "Take the tour again",
  againNote: "Five steps, taken in the product itself.",
  over: "That is all of it",
  overLine: "From here on Prime asks less the more it has learned. Press ? for the keys, or Ctrl K to find anything.",
  step: {
    say: { title: "Say what to get done", line: "One or two sentences are enough. An example will do, too.", act: "Write it" },
    room: { title: "See who works on it", line: "Prime opens a room for each part. Each knows only what it needs.", act: "Open the war room" },
    answer: { title: "Answer a question", line: "What only you can decide appears below. Choose an answer and tick “Make this a rule”: the next one like it is settled without you.", act: "Go to the question" },
    rule: { title: "Make an answer a rule", line: "Tick “Make this a rule” before you send the next answer: what is like it is then settled without you.", act: "Go to the question" },
    quieter: { title: "Watch it grow quieter", line: "Questions fall while what is settled for you climbs.", act: "See the figures" },
  } satisfies Record<Step, Told>,
};
