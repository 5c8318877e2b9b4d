// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.26;

/*
 * A mock of the Pons V2 launchpad for tests: its signatures and the arithmetic of its curve, none of its code. What the
 * real one does beside (escrow, buybacks, routers) is left out.
 */

struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

interface PositionManager {
    function initializePool(PoolKey calldata key, uint160 sqrtPriceX96) external payable returns (int24);
    function modifyLiquidities(bytes calldata unlockData, uint256 deadline) external payable;
    function nextTokenId() external view returns (uint256);
}

interface Permit2 {
    function approve(address token, address spender, uint160 amount, uint48 expiration) external;
}

contract MockPonsToken {
    string public symbol;
    uint8 public constant decimals = 18;
    uint256 public constant totalSupply = 1e27;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(string memory symbol_, address holder) {
        symbol = symbol_;
        balanceOf[holder] = totalSupply;
        emit Transfer(address(0), holder, totalSupply);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        return _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) private returns (bool) {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
        return true;
    }
}

contract MockPonsCurve {
    uint256 public constant phantomQuote = 1.68 ether;
    uint256 public constant graduationThreshold = 4.2 ether;
    uint256 private constant feeBps = 100;
    uint256 private constant product = phantomQuote * 1e27;

    MockPonsFactory private immutable factory;
    uint256 private immutable taxBps;
    uint256 public immutable launchedAt;
    MockPonsToken public immutable token;
    uint256 public realQuoteReserve;
    bool public graduated;

    event CurveBuy(
        address indexed buyer, address indexed recipient, uint256 quoteIn, uint256 tokensOut, uint256 fee, uint256 tax
    );
    event CurveSell(
        address indexed seller, address indexed recipient, uint256 tokensIn, uint256 quoteOut, uint256 fee, uint256 tax
    );
    event CurveBuyRefunded(address indexed buyer, uint256 amount);
    event CurveCompleted(address recipient, uint256 quoteOut, uint256 tokenOut);

    constructor(string memory symbol, uint256 taxBps_) {
        factory = MockPonsFactory(payable(msg.sender));
        taxBps = taxBps_;
        launchedAt = block.timestamp;
        token = new MockPonsToken(symbol, address(this));
    }

    /// Fees are taken from what is paid in. The buy that fills the curve pays what was missing and gets the rest back.
    function buy(address recipient) external payable {
        require(!graduated, "full");
        uint256 quoteIn = msg.value;
        uint256 missing = graduationThreshold - realQuoteReserve;
        uint256 buyFeeBps = feeBps + _openingBps();
        uint256 most = missing * 10_000 / (10_000 - buyFeeBps - taxBps) + 2;
        if (quoteIn > most) quoteIn = most;
        uint256 fee = quoteIn * buyFeeBps / 10_000;
        uint256 tax = quoteIn * taxBps / 10_000;
        uint256 held = product / (phantomQuote + realQuoteReserve);
        realQuoteReserve += quoteIn - fee - tax;
        uint256 tokensOut = held - product / (phantomQuote + realQuoteReserve);
        token.transfer(recipient, tokensOut);
        emit CurveBuy(msg.sender, recipient, quoteIn, tokensOut, fee, tax);
        if (quoteIn < msg.value) {
            payable(msg.sender).transfer(msg.value - quoteIn);
            emit CurveBuyRefunded(msg.sender, msg.value - quoteIn);
        }
        if (realQuoteReserve >= graduationThreshold) _complete();
    }

    /// Against those who buy in the first seconds.
    function _openingBps() private view returns (uint256) {
        uint256 age = block.timestamp - launchedAt;
        return age < 3 ? 6_000 / (age + 1) : 0;
    }

    /// Fees are taken from what is paid out.
    function sell(uint256 tokensIn, address recipient) external {
        require(!graduated, "full");
        token.transferFrom(msg.sender, address(this), tokensIn);
        uint256 before = phantomQuote + realQuoteReserve;
        uint256 quote = before - product / (product / before + tokensIn);
        uint256 fee = quote * feeBps / 10_000;
        uint256 tax = quote * taxBps / 10_000;
        realQuoteReserve -= quote;
        payable(recipient).transfer(quote - fee - tax);
        emit CurveSell(msg.sender, recipient, tokensIn, quote - fee - tax, fee, tax);
    }

    /// First phase of the graduation: trading ends and the factory takes everything.
    function _complete() private {
        graduated = true;
        uint256 rest = token.balanceOf(address(this));
        token.transfer(address(factory), rest);
        (bool isPaid,) = address(factory).call{value: realQuoteReserve}("");
        require(isPaid, "unpaid");
        emit CurveCompleted(address(factory), realQuoteReserve, rest);
        factory.sweep(realQuoteReserve, rest);
    }
}

contract MockPonsFactory {
    struct Launch {
        address token;
        address curve;
        address deployer;
        address feeRecipient;
        address pairToken;
        uint256 graduationThreshold;
    }

    PositionManager private immutable positionManager;
    Permit2 private immutable permit2;
    address private immutable hook;
    address private immutable locker;
    mapping(address => Launch) private launches;
    mapping(address => uint256) private swept;

    event TokenLaunched(
        address indexed token,
        address indexed curve,
        address indexed deployer,
        address pairToken,
        uint256 launchConfigId,
        uint256 graduationThreshold
    );
    event LaunchSwept(address indexed token, uint256 quoteOut, uint256 tokenOut);
    event PoolGraduated(address indexed token, uint256 positionId, uint256 tokenAmount, uint256 pairTokenAmount);

    constructor(address positionManager_, address permit2_, address hook_, address locker_) {
        positionManager = PositionManager(positionManager_);
        permit2 = Permit2(permit2_);
        hook = hook_;
        locker = locker_;
    }

    receive() external payable {}

    /// `pairToken` other than zero: a launch against something else than ETH. What is sent along buys at once.
    function launch(string calldata symbol, uint256 taxBps, address pairToken) external payable {
        MockPonsCurve curve = new MockPonsCurve(symbol, taxBps);
        address token = address(curve.token());
        launches[token] =
            Launch(token, address(curve), msg.sender, msg.sender, pairToken, curve.graduationThreshold());
        emit TokenLaunched(token, address(curve), msg.sender, pairToken, 1, curve.graduationThreshold());
        if (msg.value > 0) curve.buy{value: msg.value}(msg.sender);
    }

    function getLaunchedToken(address token) external view returns (Launch memory) {
        return launches[token];
    }

    function sweep(uint256 quoteOut, uint256 tokenOut) external {
        address token = address(MockPonsCurve(msg.sender).token());
        require(launches[token].curve == msg.sender, "no curve");
        swept[token] = quoteOut;
        emit LaunchSwept(token, quoteOut, tokenOut);
    }

    /// Second phase, by anybody: a pool at the curve's last price, its position with the locker.
    function graduate(address token) external {
        uint256 quote = swept[token];
        require(quote > 0, "not full");
        swept[token] = 0;
        uint256 amount = uint256(1e27) * 10 / 49;
        uint160 sqrtPriceX96 = uint160(_root((amount << 96) / quote) << 48);
        PoolKey memory key = PoolKey(address(0), token, 0, 200, hook);
        MockPonsToken(token).approve(address(permit2), type(uint256).max);
        permit2.approve(token, address(positionManager), type(uint160).max, type(uint48).max);
        positionManager.initializePool(key, sqrtPriceX96);
        uint256 positionId = positionManager.nextTokenId();
        // A little less than both sides would carry: rounding must not ask for more than there is.
        uint256 liquidity = quote * sqrtPriceX96 / 2 ** 96 * 999_999 / 1_000_000;
        bytes[] memory steps = new bytes[](3);
        steps[0] = abi.encode(
            key, int24(-887_200), int24(887_200), liquidity, type(uint128).max, type(uint128).max, locker, bytes("")
        );
        steps[1] = abi.encode(key.currency0, key.currency1);
        steps[2] = abi.encode(address(0), address(this));
        positionManager.modifyLiquidities{value: quote}(abi.encode(hex"020d14", steps), type(uint256).max);
        emit PoolGraduated(token, positionId, amount, quote);
    }

    function _root(uint256 square) private pure returns (uint256 root) {
        root = square;
        for (uint256 next = (square + 1) / 2; next < root; next = (square / next + next) / 2) root = next;
    }
}

/// Anybody can log anything: the same events from no curve at all.
contract MockPonsImpostor {
    event CurveBuy(
        address indexed buyer, address indexed recipient, uint256 quoteIn, uint256 tokensOut, uint256 fee, uint256 tax
    );

    function buy() external payable {
        emit CurveBuy(msg.sender, msg.sender, 1 ether, 1e24, 0, 0);
    }
}
