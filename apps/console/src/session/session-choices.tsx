import type { SessionView } from '@reeve/client';
import { useReeve } from '@reeve/client/react';
import { useCallback, useState } from 'react';
import { textMember } from '../data/json-members.ts';
import { type OfferedChoice, offeredChoices } from '../data/offered-choices.ts';
import { useResource } from '../data/use-resource.ts';
import { visibleText } from '../hostile/visible-text.ts';
import { useNotices } from '../ui/notice-board.tsx';

/** Mode and model of the session, to switch. */
export function SessionChoices({ session }: { readonly session: SessionView }) {
  const reeve = useReeve();
  const notices = useNotices();
  const [busy, setBusy] = useState(false);
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

  return offered.map((choice) => (
    <select
      key={choice.choice}
      aria-label={visibleText(choice.name)}
      className="input max-w-20 sm:max-w-36 py-0.5! text-sm"
      title={visibleText(choice.name)}
      disabled={busy}
      value={currentOf(choice)}
      onChange={({ target }) => void choose(choice.choice, target.value)}
    >
      {choice.options.every(({ id }) => id !== currentOf(choice)) && (
        <option value={currentOf(choice)}>{choice.name}</option>
      )}
      {choice.options.map(({ id, name }) => (
        <option key={id} value={id}>
          {visibleText(name)}
        </option>
      ))}
    </select>
  ));
}
