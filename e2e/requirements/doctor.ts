import { of, type Requirement } from './requirement.ts';

const DOCTOR = 'apps/cli/src/doctor.test.ts';

/** `reeve doctor`. */
export const doctor: readonly Requirement[] = [
  {
    id: 'DOCTOR-1',
    promise:
      'doctor says what this machine can enforce by doing it: a process in a boundary, a list of hosts, and attempts to get out, each with its verdict; as root and as another user',
    source: 'issue: The wall',
    tests: [
      ...of(
        DOCTOR,
        'shows that a boundary holds here, and leaves nothing behind (needs bubblewrap and user namespaces)',
        'says each verdict to a person, the conclusion last',
        'that cannot be tried out whole says so (needs bubblewrap)',
      ),
      ...of(
        'packages/sandbox/src/survey/sandbox-survey.test.ts',
        'tells of every backend whether it works here, and if not, why',
        'asks a configured container engine',
      ),
      ...of('apps/server/src/http/control-api.test.ts', 'tells what boundaries are held with'),
    ],
  },
  {
    id: 'DOCTOR-2',
    promise: 'where a boundary cannot be enforced it says why, and what to install in the words of the distribution',
    source: 'sandbox: 4',
    tests: of(
      DOCTOR,
      'without bubblewrap says what to install in the words of its distribution (needs bubblewrap): %j',
      'that forbids user namespaces says how to allow them (needs bubblewrap)',
    ),
  },
  {
    id: 'DOCTOR-3',
    promise: 'its exit code says whether what the configuration requires holds: 0, else 1',
    source: 'issue: The wall',
    tests: [
      ...of('apps/server/src/doctor/conclude.test.ts', 'when %s'),
      ...of(
        DOCTOR,
        'whose sandbox is switched off by the configuration is as wrong or right as that asks for',
        'names a data directory, a store and an address that do not work',
        'without a place for temporary files says so',
        'finds the server that runs, which says the same of its sandbox, and agents with the version of their package',
      ),
    ],
  },
  {
    id: 'DOCTOR-4',
    promise: 'it changes nothing, takes at most 20 s, leaves no file and no process behind, and shows no secret',
    source: 'issue: The wall',
    tests: [
      ...of(DOCTOR, 'that interrupts it is left as it was'),
      ...of(
        'apps/server/src/doctor/examine-machine.test.ts',
        'ends when its time is over, says so, and leaves nothing behind',
        'looks for the values of variables that are named like secrets',
      ),
      ...of(
        'packages/sandbox/src/escape/escape.test.ts',
        'that are ended midway are no verdict, and leave nothing behind',
      ),
      ...of(
        'apps/server/src/store/sqlite/inspect-database.test.ts',
        'tries a database of its own and leaves nothing behind',
        'reads a database that a server holds, and changes nothing beside it',
        'says what is wrong with one that is none, or that is newer',
      ),
    ],
  },
];
