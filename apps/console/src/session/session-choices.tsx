import type { SessionView } from '@reeve/client';
import { useReeve } from '@reeve/client/react';
import { SlidersHorizontal } from 'lucide-react';
import { useCallback, useId, useState } from 'react';
import { textMember } from '../data/json-members.ts';
import { type OfferedChoice, offeredChoices } from '../data/offered-choices.ts';
import { useResource } from '../data/use-resource.ts';
import { visibleText } from '../hostile/visible-text.ts';
import { classNames } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { useNotices } from '../ui/notice-board.tsx';

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
      await session.setMetadata({ [choice]: value });
    } catch (error) {
      notices.fail('It could not be switched', error);
    } finally {
      setBusy(false);
    }
  };
  const currentOf = ({ choice, current }: OfferedChoice): string =>
    (choice === 'agentMode' ? timeline.modeId : undefined) ?? textMember(info?.metadata, choice) ?? current ?? '';

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
