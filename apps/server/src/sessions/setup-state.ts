/**
 * What the agent's `session/new` result said beside the id (modes, configOptions, models and what else there was), kept up to date, so
 * that load and resume can give it even where the agent gives it only once. Pure: each function answers the new state, or the same object
 * when nothing changed.
 */
export type SetupState = { readonly [member: string]: unknown };
