/**
 * Gives each contestant its turn, round after round, so that what else the machine does weighs on all alike.
 * Every other round goes backwards: nobody is always first.
 */
export async function inTurns<Contestant>(
  contestants: readonly Contestant[],
  rounds: number,
  turn: (contestant: Contestant, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) await turn(contestant, round);
  }
}
