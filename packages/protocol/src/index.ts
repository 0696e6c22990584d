export * from './errors.ts';
export * from './extension.ts';
export * from './ids.ts';
export * from './json-bytes.ts';
export * from './json-rpc.ts';
export * from './permission.ts';
export * from './session-event.ts';
export * from './session-setup.ts';
