/* What examines a machine. A server needs it only when somebody asks, and starts sooner without. */

export { attemptEscapes, type EscapeOptions, type EscapeVerdict } from './escape/attempt-escapes.ts';
export { surveySandbox } from './survey/sandbox-survey.ts';
