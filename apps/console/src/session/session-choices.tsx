import type { SessionView } from '@reeve/client';
import { useReeve } from '@reeve/client/react';
import type { JsonObject } from '@reeve/protocol';
import { SlidersHorizontal } from 'lucide-react';
import { useCallback, useId, useState } from 'react';
import { objectMember, objectsIn, textMember } from '../data/json-members.ts';
import { type OfferedChoice, offeredChoices } from '../data/offered-choices.ts';
import { useResource } from '../data/use-resource.ts';
import { visibleText } from '../hostile/visible-text.ts';
import { classNames } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { useNotices } from '../ui/notice-board.tsx';

/** States in which a session has no agent process. */
const AWAY: ReadonlySet<string> = new Set(['dormant', 'failed', 'closed']);

/** Why the agent did not take what was chosen, as the answer to it says; undefined where it did, or will be told later. */
function refusalOf(applied: JsonObject): string | undefined {
  if (textMember(applied, 'rung') !== 'hint') return undefined;
  const [failure] = objectsIn(applied, 'failures');
  return textMember(failure, 'error') ?? textMember(applied, 'reason') ?? 'the agent does not offer it now';
}

/** Mode and model of the session, to switch; folded where there is little room. */
export function SessionChoices({ session }: { readonly session: SessionView }) {
  const reeve = useReeve();
  const notices = useNotices();
  const [busy, setBusy] = useState(false);
  const [unfolded, setUnfolded] = useState(false);
  const id = useId();
  const { info, timeline } = session;
  const agent = info?.agent;
  const load = useCallback(async () => (agent === undefined ? undefined : reeve.agents.show(agent)), [reeve, agent]);
  const { resource } = useResource(load);
  const setup = resource.kind === 'ready' ? resource.value?.setup : undefined;
  const offered = offeredChoices(timeline.configOptions ? { ...setup, configOptions: timeline.configOptions } : setup);

  const choose = async (choice: string, value: string): Promise<void> => {
    setBusy(true);
    try {
      const { applied } = await session.setMetadata({ [choice]: value });
      const refusal = refusalOf(objectMember(applied, choice));
      if (refusal === undefined) return;
      // What the agent does not take would stand as chosen.
      await session.setMetadata({ [choice]: textMember(info?.metadata, choice) ?? null });
      notices.fail('It could not be switched', new Error(refusal));
    } catch (error) {
      notices.fail('It could not be switched', error);
    } finally {
      setBusy(false);
    }
  };
  const told = offeredChoices({ configOptions: timeline.configOptions });
  const currentOf = ({ choice, current }: OfferedChoice): string => {
    const agents = choice === 'agentMode' ? timeline.modeId : told.find((its) => its.choice === choice)?.current;
    const wanted = textMember(info?.metadata, choice);
    // Without a process nothing is brought to the agent before its next one.
    const isAway = info !== undefined && AWAY.has(info.state);
    return (isAway ? (wanted ?? agents) : (agents ?? wanted)) ?? current ?? '';
  };

  if (offered.length === 0) return null;
  return (
    <>
      <IconButton
        icon={SlidersHorizontal}
        label="Mode and model"
        aria-expanded={unfolded}
        aria-controls={id}
        className="sm:hidden"
        onClick={() => setUnfolded((now) => !now)}
      />
      <div
        id={id}
        className={classNames(
          'order-last flex-wrap items-center gap-x-3 gap-y-1 sm:order-none sm:flex sm:basis-auto',
          unfolded ? 'flex basis-full' : 'hidden',
        )}
      >
        {offered.map((choice) => (
          <span key={choice.choice} className="flex items-center gap-1 text-sm">
            <label htmlFor={`${id}-${choice.choice}`} className="text-muted">
              {visibleText(choice.name)}
            </label>
            <select
              id={`${id}-${choice.choice}`}
              className="input max-w-36 py-0.5! text-sm"
              disabled={busy}
              value={currentOf(choice)}
              onChange={({ target }) => void choose(choice.choice, target.value)}
            >
              {choice.options.every(({ id: offeredId }) => offeredId !== currentOf(choice)) && (
                <option value={currentOf(choice)}>{visibleText(currentOf(choice) || 'not known')}</option>
              )}
              {choice.options.map(({ id: value, name }) => (
                <option key={value} value={value}>
                  {visibleText(name)}
                </option>
              ))}
            </select>
          </span>
        ))}
      </div>
    </>
  );
}
