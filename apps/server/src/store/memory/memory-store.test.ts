import { describeStoreContract } from '../store.contract.ts';
import { openMemoryStore } from './memory-store.ts';

describeStoreContract('the memory store', async () => ({
  persistent: false,
  open: async () => openMemoryStore(),
  async [Symbol.asyncDispose]() {},
}));
