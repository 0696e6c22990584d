import { partText, type RootStandingInfo } from '@reeve/protocol';

type Standing = Pick<RootStandingInfo, 'state' | 'access' | 'policies' | 'only'>;

const WORDS: Readonly<Record<RootStandingInfo['state'], string>> = {
  granted: 'given',
  undecided: 'not decided yet',
  denied: 'denied',
  lost: 'not what was approved any more',
};

/** How a root stands with a server beside what it may be used for now, and by which policies; empty where there is nothing to say. */
export function standingText({ state, access, policies, only }: Standing): string {
  const by = policies.length === 0 ? '' : `${policies.length === 1 ? 'policy' : 'policies'}: ${policies.join(', ')}`;
  const words = wordsOf(state, access, by !== '');
  const stands = words === '' ? by : by === '' ? words : `${words} (${by})`;
  return [...(stands === '' ? [] : [stands]), ...(only === undefined ? [] : [partText(only)])].join('; ');
}

function wordsOf(state: Standing['state'], access: Standing['access'], isDecidedByPolicy: boolean): string {
  if (state === 'undecided' && isDecidedByPolicy) {
    return access === 'none' ? 'a person is asked' : 'a person is asked about writing';
  }
  return access === 'none' ? (WORDS[state] ?? state) : '';
}
