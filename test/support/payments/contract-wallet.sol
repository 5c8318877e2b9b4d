// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.26;

/// A wallet that is a contract. It has signed (ERC-1271) what its owner signed for it: a byte 1, and the owner's 65 bytes over
/// the hash together with the wallet's address.
contract ContractWallet {
    address private immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        bool isFormed = signature.length == 66 && signature[0] == 0x01;
        return isFormed && isOwners(hash, signature[1:]) ? this.isValidSignature.selector : bytes4(0xffffffff);
    }

    function isOwners(bytes32 hash, bytes calldata signature) private view returns (bool) {
        bytes32 ownHash = keccak256(abi.encode(hash, address(this)));
        uint8 v = uint8(signature[64]);
        return ecrecover(ownHash, v, bytes32(signature[:32]), bytes32(signature[32:64])) == owner;
    }
}

/// Deploys wallets at addresses that are known before (ERC-6492).
contract ContractWalletFactory {
    function deploy(address owner) external returns (address) {
        return address(new ContractWallet{salt: 0}(owner));
    }

    function addressOf(address owner) external view returns (address) {
        bytes32 codeHash = keccak256(abi.encodePacked(type(ContractWallet).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), bytes32(0), codeHash)))));
    }
}
