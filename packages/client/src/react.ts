export {
  useBoundary,
  useConnection,
  useInbox,
  useLiveValue,
  useReeve,
  useSession,
  useSessions,
} from './react/hooks.ts';
export { ReeveProvider, type ReeveProviderProps, useLive } from './react/reeve-provider.ts';
